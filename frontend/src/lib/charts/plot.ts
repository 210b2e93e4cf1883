// The chart of calls over time. Errors are hatched and marked with a triangle, so that colour is not their only sign.

import uPlot from "uplot";
import { compact } from "../format.ts";
import type { Bucket } from "./buckets.ts";
import "./chart.css";

const tone = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** hatch returns a pattern of slanted lines. */
function hatch({ ctx }: uPlot): CanvasPattern | string {
  const size = Math.round(4 * devicePixelRatio);
  const tile = Object.assign(document.createElement("canvas"), { width: size, height: size });
  const pen = tile.getContext("2d");
  if (!pen) return tone("bad");
  pen.fillStyle = tone("bad-faint");
  pen.fillRect(0, 0, size, size);
  pen.strokeStyle = tone("bad");
  pen.lineWidth = 1.5 * devicePixelRatio;
  for (const at of [-size, 0, size]) {
    pen.moveTo(at - 1, size + 1);
    pen.lineTo(at + size + 1, -1);
  }
  pen.stroke();
  return ctx.createPattern(tile, "repeat") ?? tone("bad");
}

/** flag draws a triangle over each step with errors, so that one error among thousands of calls is visible. */
function flag(u: uPlot): void {
  const [times, calls, errors] = u.data;
  const half = 3.5 * devicePixelRatio;
  u.ctx.fillStyle = tone("bad");
  errors?.forEach((n, i) => {
    if (!n) return;
    const x = u.valToPos((times[i] ?? 0) + stepOf(u) / 2, "x", true);
    const y = u.valToPos(calls?.[i] ?? 0, "y", true) - 3 * devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, y - 2 * half);
    u.ctx.lineTo(x + half, y);
    u.ctx.lineTo(x - half, y);
    u.ctx.fill();
  });
}

const stepOf = (u: uPlot): number => (u.data[0][1] ?? 0) - (u.data[0][0] ?? 0);

/** rows converts buckets to the data format of uPlot: an array each of seconds, calls and errors. */
export const rows = (buckets: Bucket[]): uPlot.AlignedData => [
  buckets.map(({ at }) => at / 1_000),
  buckets.map(({ calls }) => calls),
  buckets.map(({ errors }) => errors),
];

function axis(more: uPlot.Axis): uPlot.Axis {
  return {
    font: `11px "Inter Variable", system-ui, sans-serif`,
    stroke: () => tone("ink-3"),
    grid: { show: false },
    ticks: { show: false },
    gap: 4,
    ...more,
  };
}

export interface PlotOptions {
  /** Returns the label of a tick on the time axis, from ms since 1970. */
  tick: (at: number, spacing: number) => string;
  /** Called with the index of the bucket under the pointer, or undefined, and the pointer's position in px. */
  point: (index: number | undefined, left: number) => void;
}

/** plot draws buckets into an element and reports the bucket under the pointer. */
export function plot(into: HTMLElement, buckets: Bucket[], { tick, point }: PlotOptions): uPlot {
  const bars = uPlot.paths.bars?.({ size: [0.8, 32], align: 1 });
  const series = { paths: bars, points: { show: false }, width: 0 };
  return new uPlot(
    {
      width: into.clientWidth,
      height: into.clientHeight,
      padding: [12, 4, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: {
        x: { time: true, range: (u, from, to) => [from, to + stepOf(u)] },
        y: { range: (_, _low, high) => [0, Math.max(4, high * 1.05)] },
      },
      axes: [
        axis({
          space: 72,
          size: 24,
          values: (_, ticks, _i, _space, incr) => ticks.map((at) => tick(at * 1_000, incr)),
        }),
        axis({
          space: 32,
          size: 40,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6],
          values: (_, ticks) => ticks.map(compact),
          grid: { show: true, stroke: () => tone("line"), width: 1 },
        }),
      ],
      series: [{}, { ...series, fill: () => tone("accent") }, { ...series, fill: (u) => hatch(u) as string }],
      hooks: {
        draw: [flag],
        setCursor: [
          (u) => {
            const { left = -1 } = u.cursor;
            if (left < 0) return point(undefined, 0);
            const at = u.posToVal(left, "x");
            const index = Math.min(Math.floor((at - (u.data[0][0] ?? 0)) / stepOf(u)), u.data[0].length - 1);
            point(index, u.over.offsetLeft + left);
          },
        ],
      },
    },
    rows(buckets),
    into,
  );
}
