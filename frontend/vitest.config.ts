import { defineConfig } from "vitest/config";

// The tests run a real hub, real servers and a real browser, which `make test` builds and installs before.
export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    // On a machine with few cores, parallel browsers are slower than consecutive ones.
    fileParallelism: false,
    // One process for all files loads the browser driver once.
    isolate: false,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // Polls wait for an event; only a broken test waits so long.
    expect: { poll: { timeout: 60_000 } },
  },
});
