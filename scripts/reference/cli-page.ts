import { makeProgram } from "../../packages/cli/src/program.js";
import { addCommands } from "../../packages/cli/src/run-cli.js";
import { makeProgram as makeCreateProgram } from "../../packages/create-servicekit/src/program.js";
import { code, generated, table } from "./markdown.js";

type Command = ReturnType<typeof makeProgram>;

/** docs/reference/cli.md, from the help of the commands. */
export function cliPage(): string {
  const program = makeProgram();
  addCommands(program, async () => {});
  return `# Command line

${generated}

Every command of \`service\` and \`create-servicekit\`, with its options, exit codes and examples. \`service\` is a program of
\`@servicekit/service\`: run it with \`npx service <command>\`. \`-h\` or \`--help\` prints this reference in the terminal.

\`service dev\`, \`service migrate reset\` and \`create-servicekit\` prompt in a terminal. Without a terminal no command does.

${table(
  ["command", "purpose"],
  leaves(program).map((command) => {
    const usage = usageOf(command);
    return [`[${code(usage)}](#${anchorOf(usage)})`, sentence(command.description())];
  }),
)}

${[...leaves(program), makeCreateProgram()].map(section).join("\n\n")}
`;
}

/** The commands that do something, without those that only group others. */
function leaves(command: Command): Command[] {
  const isGroup = command.commands.length > 0 && command.options.length === 0;
  return [...(isGroup || command.parent === null ? [] : [command]), ...command.commands.flatMap(leaves)];
}

/** \`service migrate deploy\` */
function usageOf(command: Command): string {
  return command.parent === null ? command.name() : `${usageOf(command.parent)} ${command.name()}`;
}

const anchorOf = (usage: string): string => usage.replaceAll(" ", "-");

function section(command: Command): string {
  const { notes, exitCodes, examples } = readHelp(command);
  const named = command.registeredArguments.filter(({ description }) => description !== "");
  const options = [
    ...named.map((argument) => [`[${argument.name()}]`, argument.description]),
    ...command.options.map(({ flags, description }) => [flags, description]),
  ].map(([name = "", description = ""]) => [code(name), sentence(description)]);
  return [
    `## ${usageOf(command)}`,
    sentence(command.description()),
    `\`\`\`text\n${command.createHelp().commandUsage(command)}\n\`\`\``,
    ...notes.map(withCode),
    ...(options.length === 0 ? [] : [table(["option", "meaning"], options)]),
    `Exit codes: ${exitCodes.map(([status, meaning]) => `${code(status)} ${withCode(meaning)}`).join(", ")}.`,
    `\`\`\`sh\n${examples.join("\n")}\n\`\`\``,
  ].join("\n\n");
}

interface Help {
  readonly notes: readonly string[];
  readonly exitCodes: readonly (readonly [status: string, meaning: string])[];
  readonly examples: readonly string[];
}

/** The parts of the help below the options. */
function readHelp(command: Command): Help {
  let text = "";
  const writeOut = (part: string): void => {
    text += part;
  };
  command.configureOutput({ writeOut }).outputHelp();
  const blocks = text.slice(command.helpInformation().length).trim().split("\n\n");
  const linesBelow = (title: string): string[] => {
    const [, ...lines] = blocks.find((block) => block.startsWith(`${title}:\n`))?.split("\n") ?? [];
    if (lines.length === 0) throw new Error(`The help of ${usageOf(command)} has no ${title.toLowerCase()}.`);
    return lines.map((line) => line.trim());
  };
  return {
    notes: blocks.filter((block) => !/^(Exit codes|Examples):\n/.test(block)),
    exitCodes: linesBelow("Exit codes").map((line) => {
      const [, status = "", meaning = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
      return [status, meaning] as const;
    }),
    examples: linesBelow("Examples"),
  };
}

/** Options, arguments, variables, paths and file names, which the help does not quote. */
const codeWords =
  /--[\w-]+|[\w/.-]*<[\w-]+>[\w<>/.-]*|\[\w+\]|\b[A-Z]+_[A-Z_]+(=\w+)?|\*\*\*|(node )?[\w.]+\/[\w./-]*\w|\b\w+\.(ts|js|json)\b|(?<=\s)\.\w+\b/g;

const withCode = (text: string): string => text.replaceAll(codeWords, (word) => code(word));

/** A text with a capital, except before a value of an option, and a full stop. */
function sentence(text: string): string {
  const first = /^\w+ \(/.test(text) ? text.charAt(0) : text.charAt(0).toUpperCase();
  return `${withCode(first + text.slice(1)).replace(/\.$/, "")}.`;
}
