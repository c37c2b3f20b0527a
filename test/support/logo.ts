// The beginnings of images, which is all that the service reads of a logo.

export function pngOf(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(40)
  bytes.write('89504e470d0a1a0a0000000d49484452', 'hex')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

/** With a comment and a table before the frame. */
export function jpegOf(width: number, height: number): Buffer {
  const before = Buffer.from('ffd8ffe000066a666966ffc400040000', 'hex')
  const frame = Buffer.from('ffc0000b0800000000011100ffd9', 'hex')
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([before, frame])
}

export function webpOf(form: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer {
  const bytes = Buffer.alloc(32)
  bytes.write(`RIFF....WEBP${form}`, 'latin1')
  if (form === 'VP8 ') {
    bytes.writeUInt16LE(width, 26)
    bytes.writeUInt16LE(height, 28)
  } else if (form === 'VP8L') bytes.writeUInt32LE((width - 1) | ((height - 1) << 14), 21)
  else {
    bytes.writeUIntLE(width - 1, 24, 3)
    bytes.writeUIntLE(height - 1, 27, 3)
  }
  return bytes
}

export const PNG = pngOf(40, 30)
export const JPEG = jpegOf(40, 30)
export const WEBP = webpOf('VP8X', 40, 30)

export const urlOf = (type: string, bytes: Buffer): string => `data:${type};base64,${bytes.toString('base64')}`
