import { type Estimate, toEstimate, uncertainty } from "./estimate.js";

/** A measured subject. */
export interface Subject {
  readonly name: string;
  /** Does the work `count` times and returns its CPU time in microseconds. */
  run(count: number): Promise<number>;
}

/** The results of the rounds. */
export interface Measured {
  readonly rounds: number;
  /** The CPU microseconds of one operation of each subject in each round, by the subject's name. */
  readonly samples: ReadonlyMap<string, readonly number[]>;
  /** CPU microseconds of one operation. */
  cost(subject: Subject): Estimate;
  /** The cost of one subject relative to that of another, computed per round. */
  ratio(subject: Subject, by: Subject): Estimate;
  /** The additional cost of a subject over another in CPU microseconds, computed per round. */
  difference(subject: Subject, than: Subject): Estimate;
}

/** The duration of a subject, in microseconds of CPU time. */
export interface Effort {
  /** Before the first round, until its code is compiled. */
  readonly warmUp: number;
  /** In each round. */
  readonly round: number;
  /** @default 61 */
  readonly maxRounds?: number;
}

const minRounds = 15;
/** The measurement ends when every ratio is known to this relative precision. */
const wanted = 0.02;

/**
 * Measures subjects in alternating rounds, each starting with another subject, so that other programs affect all of
 * them equally. Ends when the ratios are precise enough.
 */
export async function measureInRounds(
  subjects: readonly Subject[],
  ratios: readonly (readonly [Subject, Subject])[],
  effort: Effort,
): Promise<Measured> {
  const counts = new Map<Subject, number>();
  for (const subject of subjects) counts.set(subject, await warmUp(subject, effort));

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

/** The joined results of rounds with subjects of the same names in different processes. */
export function joinMeasured(first: Measured, then: Measured): Measured {
  return toMeasured(
    new Map([...first.samples].map(([name, of]) => [name, [...of, ...(then.samples.get(name) ?? [])]])),
  );
}

/** The results of samples: a number for each subject and round, by the subject's name. */
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

/**
 * Warms up a subject.
 *
 * @returns the number of its operations per round
 */
export async function warmUp(subject: Subject, { warmUp: needed, round }: Effort): Promise<number> {
  let count = 50;
  for (let spent = 0; ; ) {
    const time = await subject.run(count);
    spent += time;
    const perRound = Math.max(10, Math.round((round * count) / time));
    if (spent >= needed) return perRound;
    count = Math.min(count * 2, perRound);
  }
}
