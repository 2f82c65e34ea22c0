import { type Estimate, toEstimate, uncertainty } from "./estimate.js";

/** Something whose cost is measured. */
export interface Subject {
  readonly name: string;
  /** Does the work `count` times and tells how much CPU time that took, in microseconds. */
  run(count: number): Promise<number>;
}

/** What the rounds have shown. */
export interface Measured {
  readonly rounds: number;
  /** What one piece of work of a subject took in each round, in CPU microseconds, by the subject's name. */
  readonly samples: ReadonlyMap<string, readonly number[]>;
  /** CPU microseconds of one piece of work. */
  cost(subject: Subject): Estimate;
  /** The cost of one subject by that of another, taken in each round. */
  ratio(subject: Subject, by: Subject): Estimate;
  /** How much more a subject costs than another, in CPU microseconds, taken in each round. */
  difference(subject: Subject, than: Subject): Estimate;
}

/** How long a subject runs, in microseconds of CPU time. */
export interface Effort {
  /** Before the first round, until the compiler is done with it. */
  readonly warmUp: number;
  /** In each round. */
  readonly round: number;
  /** @default 61 */
  readonly maxRounds?: number;
}

const minRounds = 15;
/** Enough is known when every ratio is known to this part of itself. */
const wanted = 0.02;

/**
 * Measures subjects in rounds in which each has its turn, beginning with another one each time, so that whatever else
 * the machine does meets all of them alike. Ends when the ratios are known well enough.
 */
export async function measureInRounds(
  subjects: readonly Subject[],
  ratios: readonly (readonly [Subject, Subject])[],
  effort: Effort,
): Promise<Measured> {
  const counts = new Map<Subject, number>();
  for (const subject of subjects) counts.set(subject, await countFor(subject, effort));

  const samples = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  const { ratio } = toMeasured(samples);

  let rounds = 0;
  const { maxRounds = 61 } = effort;
  while (rounds < maxRounds) {
    for (const place of subjects.keys()) {
      const subject = subjects[(place + rounds) % subjects.length] as Subject;
      const count = counts.get(subject) ?? 1;
      samples.get(subject.name)?.push((await subject.run(count)) / count);
    }
    rounds++;
    if (rounds >= minRounds && ratios.every(([one, other]) => uncertainty(ratio(one, other)) <= wanted)) break;
  }
  return toMeasured(samples);
}

/** What rounds have shown of subjects of the same names, first of some processes, then of others. */
export function joinMeasured(first: Measured, then: Measured): Measured {
  return toMeasured(
    new Map([...first.samples].map(([name, of]) => [name, [...of, ...(then.samples.get(name) ?? [])]])),
  );
}

/** What samples show: a number for each subject and round, by the subject's name. */
export function toMeasured(samples: ReadonlyMap<string, readonly number[]>): Measured {
  const samplesOf = ({ name }: Subject): readonly number[] => samples.get(name) ?? [];
  const each = (one: Subject, other: Subject, of: (cost: number, by: number) => number): Estimate =>
    toEstimate(samplesOf(one).map((cost, round) => of(cost, samplesOf(other)[round] ?? Number.NaN)));
  return {
    rounds: Math.max(...[...samples.values()].map(({ length }) => length)),
    samples,
    cost: (subject) => toEstimate(samplesOf(subject)),
    ratio: (subject, by) => each(subject, by, (cost, other) => cost / other),
    difference: (subject, than) => each(subject, than, (cost, other) => cost - other),
  };
}

/** Warms a subject up and says how often it does its work in one round. */
async function countFor(subject: Subject, { warmUp, round }: Effort): Promise<number> {
  let count = 50;
  for (let spent = 0; ; ) {
    const time = await subject.run(count);
    spent += time;
    const perRound = Math.max(10, Math.round((round * count) / time));
    if (spent >= warmUp) return perRound;
    count = Math.min(count * 2, perRound);
  }
}
