// Packages as npm registries serve them: gzipped tar archives.

import { gzipSync } from "node:zlib";

/** tarball returns an archive with these files in the folder package/. */
export function tarball(files: Record<string, string>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text);
    const head = Buffer.alloc(512);
    const field = (at: number, value: string) => head.write(value, at, "ascii");
    const octal = (at: number, length: number, value: number) =>
      field(at, value.toString(8).padStart(length - 1, "0") + "\0");
    field(0, `package/${name}`);
    octal(100, 8, 0o755);
    octal(108, 8, 0);
    octal(116, 8, 0);
    octal(124, 12, content.length);
    octal(136, 12, 0);
    field(148, " ".repeat(8));
    field(156, "0");
    field(257, "ustar\x0000");
    octal(
      148,
      7,
      head.reduce((sum, byte) => sum + byte, 0),
    );
    parts.push(head, content, Buffer.alloc((512 - (content.length % 512)) % 512));
  }
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]));
}
