// Reads type and size of an image from its first bytes. Only formats that cannot hold a script or load anything: no SVG.
import type { TenantLogo } from '../../base/tenant/tenant.ts'

export type Image = { type: TenantLogo['type']; width: number; height: number }

/** Undefined for anything that is none of these images. */
export function imageIn(bytes: Buffer): Image | undefined {
  const size = pngSize(bytes)
  if (size) return { type: 'image/png', ...size }
  const jpeg = jpegSize(bytes)
  if (jpeg) return { type: 'image/jpeg', ...jpeg }
  const webp = webpSize(bytes)
  return webp && { type: 'image/webp', ...webp }
}

type Size = { width: number; height: number }

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function pngSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 24 || !bytes.subarray(0, 8).equals(PNG) || textAt(bytes, 12) !== 'IHDR') return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** Markers of a frame, which holds the size: C0 to CF but for tables and other things in between. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function jpegSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    if (isFrame(bytes[at + 1] ?? 0)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
  }
  return undefined
}

function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30 || textAt(bytes, 0) !== 'RIFF' || textAt(bytes, 8) !== 'WEBP') return undefined
  switch (textAt(bytes, 12)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

const textAt = (bytes: Buffer, at: number): string => bytes.toString('latin1', at, at + 4)
