// Swagger UI edits an object parameter as JSON. This plugin edits a filter (contract C65) as a line of conditions, each
// with an operator and an input of its type. Loaded by the page of Swagger UI, before it starts.
(() => {
  const { apis } = SwaggerUIBundle.presets;
  SwaggerUIBundle.presets.apis = () => [...apis(), { wrapComponents: { JsonSchema_object: filterInputs } }];

  /** Swagger UI does not preserve the order of many properties. */
  const order = [
    ...["has", "hasSome", "hasEvery", "equals", "not", "gt", "gte", "lt", "lte", "in", "notIn", "isEmpty"],
    ...["icontains", "contains", "istartsWith", "startsWith", "iendsWith", "endsWith", "iequals", "isNull"],
  ];

  const isFilter = (schema) =>
    schema?.get("additionalProperties") === false &&
    ["equals", "isNull", "isEmpty"].some((operator) => schema.hasIn(["properties", operator]));

  function filterInputs(Original, { React }) {
    const element = React.createElement;
    return (props) => element(isFilter(props.schema) ? Filter : Original, props);

    function Filter({ schema, value, onChange, disabled, description: name }) {
      const properties = schema.get("properties").toJS();
      const operators = order.filter((operator) => Object.hasOwn(properties, operator));
      const sent = React.useRef();
      const [conditions, setConditions] = React.useState([]);
      // Another value than the one sent by this component: the first one, or that of the button "Reset".
      const isNew = value !== sent.current;
      if (isNew) sent.current = value;
      const shown = isNew ? read(value) : conditions;
      if (isNew) setConditions(shown);
      const first = { operator: operators[0], text: "" };
      const lines = shown.length === 0 ? [first] : shown;
      const change = (next) => {
        const filled = next.filter(({ text }) => text !== "");
        const entries = filled.map(({ operator, text }) => [operator, typed(text, properties[operator])]);
        sent.current = JSON.stringify(Object.fromEntries(entries));
        setConditions(next);
        onChange(sent.current);
      };
      const unused = operators.find((operator) => !lines.some((line) => line.operator === operator));
      const canAdd = !disabled && unused !== undefined && lines.every(({ text }) => text !== "");
      return element(
        "div",
        { className: "filter" },
        lines.map((line, index) =>
          element(Condition, {
            ...{ ...line, name, properties, disabled, key: index },
            operators: operators.filter((each) => !lines.some((other) => other !== line && other.operator === each)),
            onChange: (changed) => change(lines.map((other) => (other === line ? changed : other))),
          }),
        ),
        canAdd &&
          element("button", {
            ...{ type: "button", className: "filter-add", title: "Add a condition", children: "+ and" },
            "aria-label": `Add a condition on ${name}`,
            onClick: () => setConditions([...lines, { operator: unused, text: "" }]),
          }),
      );
    }

    function Condition({ operator, text, name, properties, operators, disabled, onChange }) {
      const schema = properties[operator] ?? {};
      const values = schema.type === "boolean" ? ["true", "false"] : schema.enum;
      const common = {
        ...{ disabled, value: text, "aria-label": `${name}[${operator}]` },
        onChange: ({ target }) => onChange({ operator, text: target.value }),
      };
      return element(
        "div",
        { className: "filter-condition" },
        element(
          "select",
          {
            ...{ disabled, value: operator, "aria-label": `Operator of ${name}` },
            onChange: ({ target }) => {
              const [before, after] = [schema, properties[target.value] ?? {}];
              const isSame = before.type === after.type && before.format === after.format;
              onChange({ operator: target.value, text: isSame ? text : "" });
            },
          },
          operators.map((each) => element("option", { key: each, value: each }, each)),
        ),
        values === undefined
          ? element("input", { ...common, type: inputType(schema), step: "any", placeholder: placeholder(schema) })
          : element(
              "select",
              common,
              ["", ...values].map((each) => element("option", { key: each, value: each }, each === "" ? "any" : each)),
            ),
        element("span", { className: "filter-words" }, String(schema.description ?? "").replace(/\.$/, "")),
      );
    }
  }

  /** The conditions of a value, which Swagger UI stores as JSON. */
  function read(value) {
    try {
      return Object.entries(JSON.parse(value)).map(([operator, operand]) => ({ operator, text: String(operand) }));
    } catch {
      return [];
    }
  }

  function typed(text, { type } = {}) {
    if (type === "boolean") return text === "true";
    const isNumber = (type === "integer" || type === "number") && Number.isFinite(Number(text));
    return isNumber ? Number(text) : text;
  }

  function inputType({ type, format }) {
    if (type === "integer" || type === "number") return "number";
    return format === "date" ? "date" : "text";
  }

  function placeholder({ type, format, description = "", pattern = "", examples: [example] = [] }) {
    if (/commas/.test(description)) return "a,b,c";
    if (format === "date-time") return "2026-01-31T08:30:00Z";
    if (type === "integer" || type === "number" || /\\d/.test(pattern)) return example ?? "number";
    return example ?? (format === "uuid" ? "UUID" : "text");
  }
})();
