import { defineConfig } from "vitest/config";

// The tests drive a real hub, real servers and a real browser; what they need is built before (see `make test`).
export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    // Two browsers at once are slower than one after the other on a small machine.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
