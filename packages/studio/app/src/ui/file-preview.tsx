import { useQuery } from "@tanstack/react-query";
import { type MouseEvent, type ReactNode, useState } from "react";
import { useRoutes } from "../api/discovery.js";
import { baseUrl } from "../api/page-data.js";
import { isSignedInByHeader, readFile } from "../api/shop.js";
import { readStoredFile } from "../model/stored-file.js";
import { download } from "./download.js";

interface PreviewProps {
  readonly text: string;
  /** Shown if the text is not the path of a file. */
  readonly children: ReactNode;
  /** Whether it is already inside a link. */
  readonly isLinked?: boolean;
}

/** A file of the service, by its path: images inline, others as a link. */
export function FilePreview({ text, children, isLinked = false }: PreviewProps) {
  const route = useRoutes().data?.find(
    ({ method, resource, operation, allowed }) =>
      method === "GET" && resource === "file-upload" && operation === "findFile" && allowed !== false,
  );
  const file = route === undefined ? undefined : readStoredFile(text, route.path, baseUrl);
  const [isGone, setGone] = useState(false);
  // The browser sends a cookie for an image, but no header.
  const isFetched = route?.authentication !== false && isSignedInByHeader();
  const blob = useQuery({
    queryKey: ["file", file?.path],
    enabled: isFetched && file?.isImage === true,
    queryFn: async () => URL.createObjectURL(await readFile(file?.path ?? "")),
  });
  if (file === undefined) return children;
  const address = isFetched ? blob.data : baseUrl + file.path;
  const name = file.path.slice(file.path.lastIndexOf("/") + 1);
  const save = async (event: MouseEvent) => {
    if (!isFetched) return;
    event.preventDefault();
    download(name, "application/octet-stream", [await readFile(file.path)]);
  };
  const shown =
    file.isImage && !isGone && address !== undefined ? (
      <img className="thumbnail" src={address} alt={name} loading="lazy" onError={() => setGone(true)} />
    ) : (
      children
    );
  if (isLinked) return shown;
  return (
    <a href={baseUrl + file.path} target="_blank" rel="noreferrer" onClick={(event) => void save(event)}>
      {shown}
    </a>
  );
}
