import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMayCall } from "../api/discovery.js";
import { callRoute } from "../api/shop.js";
import { Dialog } from "../ui/dialog.js";
import { PageButtons } from "../ui/page-buttons.js";
import { Problem, Waiting } from "../ui/problem.js";
import { formatDate } from "../ui/value.js";

/** A job that has failed for good. */
interface FailedJob {
  readonly id: string;
  readonly jobId: string;
  readonly key: string | null;
  readonly data: unknown;
  readonly attempts: number;
  readonly error: string;
  readonly createdAt: string;
  readonly failedAt: string;
}

interface FailedPage {
  readonly data: readonly FailedJob[];
  readonly meta: { readonly hasMore: boolean };
}

const failedPath = "/api/job-queues/:queue/failed";
/** The pause between two reads of queues, in milliseconds. */
export const every = 10_000;
const limit = 20;

/** The failed jobs of a queue, which can run again or be deleted. */
export function FailedJobs({ queue }: { readonly queue: string }) {
  /** The ids after which the pages up to this one start. */
  const [starts, setStarts] = useState<readonly string[]>([]);
  const [deleted, setDeleted] = useState<FailedJob>();
  const [failure, setFailure] = useState<unknown>();
  const mayRetry = useMayCall("POST", `${failedPath}/:id/retry`);
  const mayDelete = useMayCall("DELETE", `${failedPath}/:id`);
  const queries = useQueryClient();
  const after = starts.at(-1);
  const { data, error } = useQuery({
    queryKey: ["jobs", queue, after],
    queryFn: async () => {
      const query = { limit, ...(after === undefined ? {} : { after }) };
      return (await callRoute(`GET ${failedPath}`, { params: { queue }, query })) as FailedPage;
    },
    placeholderData: keepPreviousData,
    refetchInterval: every,
  });
  /** @returns whether it succeeded */
  const run = async (route: string, params: Readonly<Record<string, string>>): Promise<boolean> => {
    setFailure(undefined);
    try {
      await callRoute(route, { params: { queue, ...params } });
      setStarts([]);
      await queries.invalidateQueries({ queryKey: ["jobs"] });
      return true;
    } catch (caught) {
      setFailure(caught);
      return false;
    }
  };
  if (data === undefined) return error === null ? <Waiting /> : <Problem error={error} />;
  const last = data.data.at(-1);
  return (
    <>
      <div className="row">
        <h2>Failed jobs of {queue}</h2>
        <span className="grow" />
        {mayRetry && data.data.length > 0 && (
          <button type="button" onClick={() => void run(`POST ${failedPath}/retry`, {})}>
            Retry all
          </button>
        )}
      </div>
      <Problem error={error ?? failure} />
      {data.data.length === 0 && <p className="dim">No job of this queue has failed for good.</p>}
      {data.data.length > 0 && (
        <div className="scroll">
          <table aria-label="Failed jobs">
            <thead>
              <tr>
                <th>Failed</th>
                <th>Error</th>
                <th>Attempts</th>
                <th>
                  <span className="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((job) => (
                <tr key={job.id}>
                  <td>
                    <time dateTime={job.failedAt}>{formatDate(job.failedAt)}</time>
                  </td>
                  <td className="wide">
                    <details>
                      <summary>{job.error.split("\n")[0]}</summary>
                      <p className="dim">
                        Job {job.jobId}, sent {formatDate(job.createdAt)}
                      </p>
                      {job.error.includes("\n") && <pre>{job.error}</pre>}
                      <pre>{JSON.stringify(job.data, null, 2)}</pre>
                    </details>
                  </td>
                  <td className="number">{job.attempts}</td>
                  <td>
                    <div className="row">
                      {mayRetry && (
                        <button
                          type="button"
                          className="small"
                          onClick={() => void run(`POST ${failedPath}/:id/retry`, { id: job.id })}
                        >
                          Retry
                        </button>
                      )}
                      {mayDelete && (
                        <button type="button" className="small danger" onClick={() => setDeleted(job)}>
                          Delete
                        </button>
                      )}
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div className="row pager">
        <PageButtons
          onPrevious={starts.length === 0 ? undefined : () => setStarts(starts.slice(0, -1))}
          onNext={data.meta.hasMore && last !== undefined ? () => setStarts([...starts, last.id]) : undefined}
        >
          <span>Page {starts.length + 1}</span>
        </PageButtons>
      </div>
      {deleted !== undefined && (
        <Dialog title="Delete this job?" onClose={() => setDeleted(undefined)}>
          <p>The job {deleted.jobId} will be deleted, and never runs again.</p>
          <Problem error={failure} />
          <div className="row end">
            <button type="button" onClick={() => setDeleted(undefined)}>
              Cancel
            </button>
            <button
              type="button"
              className="danger"
              onClick={() =>
                void run(`DELETE ${failedPath}/:id`, { id: deleted.id }).then((isDone) => {
                  if (isDone) setDeleted(undefined);
                })
              }
            >
              Delete
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
