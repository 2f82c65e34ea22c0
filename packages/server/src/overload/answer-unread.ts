import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type RequestTarget, readWholeRequest } from "./read-whole-request.js";

/** A connection of Node's HTTP server, with the answer whose turn it is to be sent. */
interface HttpSocket extends Socket {
  readonly _httpMessage?: ServerResponse | null;
}

/** Who stands in line. */
export interface Waiting {
  /** Is called when it has left the line, for its turn has come. */
  readonly begin: () => void;
  /** Makes Node read it before that, to wait as what has been read does. */
  readonly readNow?: () => void;
}

/** Takes a place in line. @returns leaves it */
export type StandInLine = (waiting: Waiting) => () => void;

/**
 * What becomes of a request that nobody has read: the bytes of its answer, or a place in line until Node reads it; with
 * `undefined` Node reads it now.
 */
export type PlaceUnread = (request: RequestTarget) => string | StandInLine | undefined;

/** Looks at connections before Node does. */
export interface UnreadAnswers {
  /** Looks at a connection that has just come. */
  readonly watchNew: (socket: Socket) => void;
  /** Looks at the connection of a request that has no answer yet. */
  readonly watchAt: (response: ServerResponse) => void;
}

/**
 * Makes what looks at the bytes of a connection before Node does, and answers whole requests that are refused: most of what a
 * refusal costs otherwise is that Node makes objects of a request. Those that have to wait stand in line as bytes: objects that
 * outlive two collections of young ones are dear to collect, and hold all that is made for the request later. Everything else
 * goes to Node as before: the first request of a connection, parts of requests, several at once, and whatever comes while an
 * answer is still due.
 *
 * Bytes may be answered only where a request begins, and where one begins Node's parser alone knows, whose state nobody can ask
 * for. A new connection begins with one, and whole requests lead from one beginning to the next. After anything else it has to
 * be shown: see {@link isEndOfRequest}.
 */
export function makeUnreadAnswers(server: Server, placeOf: PlaceUnread): UnreadAnswers {
  const watched = new WeakSet<Socket>();
  const watch = (socket: HttpSocket, isNew: boolean): void => {
    if (watched.has(socket)) return;
    const [readByNode, ...others] = socket.listeners("data");
    // Where somebody else listens too nothing is changed.
    if (readByNode === undefined || others.length > 0) return;
    watched.add(socket);
    let isAtBegin = isNew;
    /** Reads what stands in line, where something does. */
    let readFirst: (() => void) | undefined;
    const hold = (chunk: Buffer, standInLine: StandInLine): void => {
      const begin = (): void => {
        socket.off("close", leave);
        readFirst = undefined;
        readByNode.call(socket, chunk);
      };
      const readNow = (): void => {
        leaveLine();
        begin();
      };
      const leaveLine = standInLine({ begin, readNow });
      const leave = (): void => {
        readFirst = undefined;
        leaveLine();
      };
      readFirst = readNow;
      // A client that has gone is served no more, and a connection with a request on it is none that is idle.
      socket.once("close", leave);
      socket.setTimeout(0);
    };
    const read = (chunk: Buffer): void => {
      readFirst?.();
      // Until the first answer it is undefined: a connection without a request has a time limit, which only Node can end.
      const request = socket._httpMessage === null ? readWholeRequest(chunk) : undefined;
      // A client that does not read its answers waits for them as it does with Node.
      const place = isAtBegin && request && socket.writableLength === 0 ? placeOf(request) : undefined;
      if (typeof place === "string") {
        socket.write(place, "latin1");
        return;
      }
      if (place !== undefined) {
        hold(chunk, place);
        return;
      }
      if (isAtBegin || request === undefined || request.hasBody) {
        isAtBegin &&= (request ?? readWholeRequest(chunk)) !== undefined;
        readByNode.call(socket, chunk);
        return;
      }
      const come = requestsDuring(server, () => readByNode.call(socket, chunk)).filter((of) => of.socket === socket);
      isAtBegin = isEndOfRequest(request, come);
    };
    socket.on("data", read).off("data", readByNode as () => void);
    // So Node finds its own listener when it takes it away, as for an upgrade.
    Object.assign(read, { listener: readByNode });
  };
  return {
    watchNew: (socket) => watch(socket, true),
    watchAt: (response) => {
      const socket = response.socket as HttpSocket | null;
      // Where this Node does not say which answer is due, nothing is changed.
      if (socket?._httpMessage === response) watch(socket, false);
    },
  };
}

/**
 * Whether the parser stands behind a request, after it was given bytes that are one request without a body when they are read
 * from their beginning: it has made one request of them, of the same method and target, and that is complete. Wherever it stood
 * before, a head ends nowhere in them but at their end, and so does a request that is made of them.
 */
const isEndOfRequest = ({ method, url }: RequestTarget, [first, ...more]: readonly IncomingMessage[]): boolean =>
  first !== undefined && more.length === 0 && first.complete && first.method === method && first.url === url;

/** The requests that a server emits while something is done. */
function requestsDuring(server: Server, act: () => void): IncomingMessage[] {
  const come: IncomingMessage[] = [];
  const keep = (request: IncomingMessage): void => void come.push(request);
  server.prependListener("request", keep);
  act();
  server.off("request", keep);
  return come;
}
