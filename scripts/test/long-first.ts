import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Short files that take long: without times of an earlier run the largest files begin, and the last of these would run alone. */
const long =
  /\/(check-types\.isolated|(mutate-package|from-nothing|tutorial|check-consumers|operation-slow-clients|rights|document|commands|behind-one-url|pages|site|check-deployment|document-tools|publish|fuzz|sql-reads|sql-writes|filters|rolling-restart|document-accepts)\.proof)\.test\.ts$/;

/** Begins with the long files, so that the workers end at about the same time. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const [first, others]: [TestSpecification[], TestSpecification[]] = [[], []];
    for (const file of sorted) (long.test(file.moduleId) ? first : others).push(file);
    return [...first, ...others];
  }
}
