import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callRoute } from "../api/shop.js";
import { Problem, Waiting } from "../ui/problem.js";
import { every, FailedJobs } from "./failed-jobs.js";

/** A queue with the numbers of its jobs (contract C114). */
interface Queue {
  readonly name: string;
  readonly queued: number;
  readonly active: number;
  readonly retrying: number;
  readonly failed: number;
}

const queuesPath = "/api/job-queues";

/** The queues of jobs, and the failed jobs of one of them. */
export function JobsPage() {
  const [chosen, setChosen] = useState<string>();
  const queues = useQuery({
    queryKey: ["jobs"],
    queryFn: async () => ((await callRoute(`GET ${queuesPath}`)) as { readonly data: readonly Queue[] }).data,
    refetchInterval: every,
  });
  const withFailures = queues.data?.find(({ failed }) => failed > 0);
  const shown = chosen ?? withFailures?.name;
  return (
    <>
      <h1>Jobs</h1>
      <Problem error={queues.error} />
      {queues.isPending && <Waiting />}
      {queues.data !== undefined && (
        <div className="scroll">
          <table aria-label="Queues">
            <thead>
              <tr>
                <th>Queue</th>
                <th>Queued</th>
                <th>Active</th>
                <th>Retrying</th>
                <th>Failed</th>
              </tr>
            </thead>
            <tbody>
              {queues.data.map(({ name, queued, active, retrying, failed }) => (
                <tr key={name}>
                  <th scope="row">
                    <button
                      type="button"
                      className="quiet"
                      aria-pressed={name === shown}
                      onClick={() => setChosen(name)}
                    >
                      {name}
                    </button>
                  </th>
                  <td className="number">{queued}</td>
                  <td className="number">{active}</td>
                  <td className="number">{retrying}</td>
                  <td className={failed > 0 ? "number bad" : "number"}>{failed}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown === undefined ? (
        queues.data !== undefined && <p className="dim">No job has failed for good.</p>
      ) : (
        <FailedJobs key={shown} queue={shown} />
      )}
    </>
  );
}
