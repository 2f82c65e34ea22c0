import { useState, useSyncExternalStore } from "react";
import { baseUrl, pageData } from "../api/page-data.js";
import { type SentRequest, sentRequests, toCurl } from "../api/sent-requests.js";
import { Dialog } from "../ui/dialog.js";
import "./requests-drawer.css";
import "../ui/method.css";

/** The requests of this page, from which users learn the API. */
export function RequestsDrawer({ onClose }: { readonly onClose: () => void }) {
  const requests = useSyncExternalStore(sentRequests.subscribe, sentRequests.read);
  const [form, setForm] = useState<"curl" | "code">("curl");
  return (
    <Dialog title="Requests of this page" onClose={onClose} isDrawer>
      <div className="row">
        <fieldset className="switch">
          <legend className="hidden">Format</legend>
          {(["curl", "code"] as const).map((each) => (
            <label key={each}>
              <input type="radio" name="form" checked={form === each} onChange={() => setForm(each)} />
              {each === "curl" ? "curl" : "client"}
            </label>
          ))}
        </fieldset>
        <button type="button" onClick={sentRequests.clear}>
          Clear
        </button>
      </div>
      {requests.length === 0 && <p className="dim">No requests yet.</p>}
      <ol className="requests">
        {requests.map((request) => (
          <Sent
            key={request.id}
            request={request}
            text={form === "curl" ? toCurl(request, pageData.signIn !== null) : codeOf(request)}
          />
        ))}
      </ol>
    </Dialog>
  );
}

const codeOf = ({ code, method, url }: SentRequest): string =>
  code ?? `// Not a call of the client: ${method} ${readable(url)}`;

/** A readable URL. */
function readable(url: string): string {
  try {
    return decodeURIComponent(url.slice(baseUrl.length));
  } catch {
    return url.slice(baseUrl.length);
  }
}

function Sent({ request, text }: { readonly request: SentRequest; readonly text: string }) {
  const { method, url, status, ms } = request;
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(text);
    setCopied(true);
  };
  return (
    <li>
      <div className="row">
        <span className={`method ${method.toLowerCase()}`}>{method}</span>
        <span className="path">{readable(url)}</span>
        <span className={status !== undefined && status >= 400 ? "bad" : "dim"}>
          {status === undefined ? "…" : status === 0 ? "no response" : status} {ms !== undefined && `${ms} ms`}
        </span>
        <button type="button" className="quiet" onClick={() => void copy()}>
          {isCopied ? "Copied" : "Copy"}
        </button>
      </div>
      <pre>{text}</pre>
    </li>
  );
}
