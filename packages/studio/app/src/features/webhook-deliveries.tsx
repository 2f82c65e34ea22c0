import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callRoute } from "../api/shop.js";
import { type ModelInfo, writeKey } from "../model/model-info.js";
import { PageButtons } from "../ui/page-buttons.js";
import { Problem, Waiting } from "../ui/problem.js";
import { formatDate } from "../ui/value.js";

interface WebhookDeliveriesProps {
  readonly model: ModelInfo;
  readonly keyValues: readonly string[];
}

/** An attempt to deliver a message (contract C112). */
interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly type: string;
  readonly attempt: number;
  readonly time: string;
  /** Milliseconds. */
  readonly duration: number;
  readonly state: "delivered" | "retrying" | "failed";
  readonly status: number | null;
  readonly error: string | null;
  readonly request: string | null;
  readonly response: string | null;
}

interface DeliveryPage {
  readonly data: readonly Delivery[];
  readonly meta: { readonly hasMore: boolean };
}

const limit = 10;

const tones = { delivered: "yes", retrying: "dim", failed: "bad" } as const;

/** The attempts to deliver messages to a webhook, the latest first. */
export function WebhookDeliveries({ model, keyValues }: WebhookDeliveriesProps) {
  const [id = ""] = keyValues;
  /** The ids after which the pages up to this one start. */
  const [starts, setStarts] = useState<readonly string[]>([]);
  const [failure, setFailure] = useState<unknown>();
  const [queued, setQueued] = useState<string>();
  const queries = useQueryClient();
  const before = starts.at(-1);
  const key = ["rows", model.name, "deliveries", writeKey(keyValues), before];
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: async () => {
      const query = { limit, ...(before === undefined ? {} : { before }) };
      return (await callRoute(`GET ${model.path}/:id/deliveries`, { params: { id }, query })) as DeliveryPage;
    },
    placeholderData: keepPreviousData,
  });
  if (data === undefined) return error === null ? <Waiting /> : <Problem error={error} />;
  const redeliver = async (delivery: Delivery) => {
    setFailure(undefined);
    setQueued(undefined);
    try {
      const params = { id, deliveryId: delivery.id };
      await callRoute(`POST ${model.path}/:id/deliveries/:deliveryId/redeliver`, { params });
      setQueued(delivery.event);
      await queries.invalidateQueries({ queryKey: ["rows", model.name, "deliveries"] });
    } catch (caught) {
      setFailure(caught);
    }
  };
  const last = data.data.at(-1);
  return (
    <>
      <Problem error={error ?? failure} />
      {queued !== undefined && <p role="status">The message {queued} is in the queue again.</p>}
      {data.data.length === 0 && <p className="dim">No message was sent.</p>}
      {data.data.length > 0 && (
        <div className="scroll">
          <table aria-label="Deliveries">
            <thead>
              <tr>
                <th>Time</th>
                <th>Event</th>
                <th>Attempt</th>
                <th>State</th>
                <th>Response</th>
                <th>Duration</th>
                <th>
                  <span className="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((delivery) => (
                <tr key={delivery.id}>
                  <td>
                    <time dateTime={delivery.time}>{formatDate(delivery.time)}</time>
                  </td>
                  <td>
                    <Message delivery={delivery} />
                  </td>
                  <td className="number">{delivery.attempt}</td>
                  <td className={tones[delivery.state]}>{delivery.state}</td>
                  <td className="wide">{delivery.status ?? delivery.error}</td>
                  <td className="number">{delivery.duration} ms</td>
                  <td>
                    {model.may("redeliver") && (
                      <button type="button" className="small" onClick={() => void redeliver(delivery)}>
                        Deliver again
                      </button>
                    )}
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
        <button type="button" className="quiet" onClick={() => void refetch()}>
          Refresh
        </button>
      </div>
    </>
  );
}

/** The request and the beginning of its response, closed at first. */
function Message({ delivery }: { readonly delivery: Delivery }) {
  return (
    <details>
      <summary>{delivery.type}</summary>
      <p className="dim">{delivery.event}</p>
      {delivery.request === null ? <p className="dim">No longer stored.</p> : <pre>{delivery.request}</pre>}
      {delivery.response !== null && delivery.response !== "" && (
        <>
          <p className="dim">Response</p>
          <pre>{delivery.response}</pre>
        </>
      )}
    </details>
  );
}
