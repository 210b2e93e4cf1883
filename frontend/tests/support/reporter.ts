// A reporter for build/testsum in the format of `go test -json`, so that one summary counts all tests.
//
// On a busy machine, Vitest may announce the end of a file and of its tests before it has received their results, and
// again afterwards. The reporter therefore reports each test and file once: when its result has arrived, or at the
// end of the run.

import type { Reporter, TestCase, TestModule } from "vitest/node";

const tell = (event: object) => process.stdout.write(JSON.stringify(event) + "\n");

// Replace slashes: in names of Go tests they mark subtests.
const nameOf = (test: TestCase) => test.fullName.replaceAll("/", "∕");
const fileOf = (module: TestModule) => `frontend/${module.relativeModuleId}`;
const pending = (test: TestCase) => test.result().state === "pending";

export default class implements Reporter {
  #told = new Set<string>();

  onTestCaseReady(test: TestCase): void {
    if (!this.#told.has(test.id)) tell({ Action: "run", Package: fileOf(test.module), Test: nameOf(test) });
  }

  onTestCaseResult(test: TestCase): void {
    if (!pending(test)) this.#tellTest(test);
  }

  onTestModuleEnd(module: TestModule): void {
    if (![...module.children.allTests()].some(pending)) this.#tellModule(module);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) this.#tellModule(module);
  }

  #tellTest(test: TestCase): void {
    if (this.#told.has(test.id)) return;
    this.#told.add(test.id);
    const [Package, Test] = [fileOf(test.module), nameOf(test)];
    const { state, errors } = test.result();
    for (const error of errors ?? []) {
      tell({ Action: "output", Package, Test, Output: `${error.stack ?? error.message}\n${error.diff ?? ""}\n` });
    }
    const Action = { passed: "pass", failed: "fail", skipped: "skip", pending: "fail" }[state];
    tell({ Action, Package, Test, Elapsed: (test.diagnostic()?.duration ?? 0) / 1_000 });
  }

  #tellModule(module: TestModule): void {
    if (this.#told.has(module.id)) return;
    this.#told.add(module.id);
    for (const test of module.children.allTests()) this.#tellTest(test);
    for (const error of module.errors()) {
      tell({ Action: "output", Package: fileOf(module), Output: `${error.stack ?? error.message}\n` });
    }
    const Action = module.ok() ? "pass" : "fail";
    tell({ Action, Package: fileOf(module), Elapsed: module.diagnostic().duration / 1_000 });
  }
}
