// Reads a ZIP archive by its directory, as other programs do; written from the format, not from the code under test.
import { crc32, inflateRawSync } from 'node:zlib'

/** Content by path, in the order of the directory. */
export type Unzipped = Map<string, string>

export const unzip = (archive: Buffer): Unzipped =>
  new Map([...unzipBytes(archive)].map(([path, bytes]) => [path, bytes.toString()]))

/** The same for members that are no text. */
export function unzipBytes(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from('504b0506', 'hex'))
  const files = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const nameLength = archive.readUInt16LE(at + 28)
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    const [sum, packed, bytes] = [16, 20, 24].map((offset) => archive.readUInt32LE(at + offset))
    const local = archive.readUInt32LE(at + 42)
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const content = inflateRawSync(archive.subarray(start, start + (packed ?? 0)))
    if (crc32(content) !== sum || content.length !== bytes) throw new Error(`${name} is damaged`)
    files.set(name, content)
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return files
}

/** What lies at a presigned address. Throws with the status of a refusal. */
export async function download(url: string): Promise<Buffer> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`download refused: ${response.status}`)
  return Buffer.from(await response.arrayBuffer())
}
