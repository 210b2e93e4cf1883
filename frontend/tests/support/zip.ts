// A minimal writer of uncompressed zip archives, for bundles.

import { crc32 } from "node:zlib";

/** zip returns an archive of files, given as texts by name. */
export function zip(files: Record<string, string>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const [title, data] = [Buffer.from(name), Buffer.from(text)];
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0); // the version of the format
    head.writeUInt32LE(crc32(data), 10);
    head.writeUInt32LE(data.length, 14);
    head.writeUInt32LE(data.length, 18);
    head.writeUInt16LE(title.length, 22);
    const more = Buffer.alloc(14);
    more.writeUInt32LE(at, 10);
    parts.push(Buffer.from("PK\x03\x04"), head, title, data);
    directory.push(Buffer.from("PK\x01\x02\x14\x00"), head, more, title);
    at += 4 + head.length + title.length + data.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length / 4, 4);
  end.writeUInt16LE(directory.length / 4, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, list, Buffer.from("PK\x05\x06"), end]);
}
