// Pictures as the tests judge them.
import { inflateSync } from "node:zlib";

// A PNG with 8 bits per channel: its size, and how many colours a sample of its bytes has. A blank picture has one.
export function lookAt(png) {
  let offset = 8, width = 0, height = 0, bytes = 0;
  const data = [];
  while (offset < png.length) {
    const size = png.readUInt32BE(offset), type = png.toString("latin1", offset + 4, offset + 8);
    if (type === "IHDR") [width, height, bytes] = [png.readUInt32BE(offset + 8), png.readUInt32BE(offset + 12), png[offset + 17] === 6 ? 4 : 3];
    if (type === "IDAT") data.push(png.subarray(offset + 8, offset + 8 + size));
    offset += 12 + size;
  }
  const rows = inflateSync(Buffer.concat(data)), colors = new Set();
  for (let i = 1; i + 4 < rows.length; i += 53 * bytes) colors.add(rows.readUInt16BE(i));
  return { width, height, colors: width > 0 ? colors.size : 0 };
}
