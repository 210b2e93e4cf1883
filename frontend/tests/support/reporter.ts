// A reporter for build/testsum in the format of `go test -json`, so that one summary counts all tests.

import type { Reporter, TestCase, TestModule } from "vitest/node";

const tell = (event: object) => process.stdout.write(JSON.stringify(event) + "\n");

// Replace slashes: in names of Go tests they mark subtests.
const nameOf = (test: TestCase) => test.fullName.replaceAll("/", "∕");
const fileOf = (module: TestModule) => `frontend/${module.relativeModuleId}`;

export default class implements Reporter {
  onTestCaseReady(test: TestCase): void {
    tell({ Action: "run", Package: fileOf(test.module), Test: nameOf(test) });
  }

  onTestCaseResult(test: TestCase): void {
    const [Package, Test] = [fileOf(test.module), nameOf(test)];
    const { state, errors } = test.result();
    for (const error of errors ?? []) {
      tell({ Action: "output", Package, Test, Output: `${error.stack ?? error.message}\n${error.diff ?? ""}\n` });
    }
    const Action = { passed: "pass", failed: "fail", skipped: "skip", pending: "fail" }[state];
    tell({ Action, Package, Test, Elapsed: (test.diagnostic()?.duration ?? 0) / 1_000 });
  }

  onTestModuleEnd(module: TestModule): void {
    for (const error of module.errors()) {
      tell({ Action: "output", Package: fileOf(module), Output: `${error.stack ?? error.message}\n` });
    }
    const Action = module.ok() ? "pass" : "fail";
    tell({ Action, Package: fileOf(module), Elapsed: module.diagnostic().duration / 1_000 });
  }
}
