// Reads the directory at the end of an archive that `ZipWriter` has made.
import { open } from 'node:fs/promises'

export type Member = { name: Buffer; crc: number; packed: number; bytes: number; offset: number }

const END_BYTES = 22
const HEAD_BYTES = 46

/** `offset`: where the directory begins. `stamp`: time and date of the first member. */
export async function readDirectory(path: string): Promise<{ members: Member[]; offset: number; stamp: Buffer }> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const read = async (from: number, length: number) => {
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, from)
      return buffer
    }
    const end = await read(size - END_BYTES, END_BYTES)
    const [bytes, offset] = [end.readUInt32LE(12), end.readUInt32LE(16)]
    const directory = await read(offset, bytes)
    return { members: membersOf(directory), offset, stamp: Buffer.from(directory.subarray(12, 16)) }
  } finally {
    await file.close()
  }
}

function membersOf(directory: Buffer): Member[] {
  const members: Member[] = []
  for (let at = 0; at < directory.length;) {
    const head = directory.subarray(at, at + HEAD_BYTES)
    const name = Buffer.from(directory.subarray(at + HEAD_BYTES, at + HEAD_BYTES + head.readUInt16LE(28)))
    const [crc, packed, bytes] = [head.readUInt32LE(16), head.readUInt32LE(20), head.readUInt32LE(24)]
    members.push({ name, crc, packed, bytes, offset: head.readUInt32LE(42) })
    at += HEAD_BYTES + name.length
  }
  return members
}
