// The logo of a tenant: PNG, JPEG or WebP. The image is an item of its own, because every request reads the tenant, which holds
// only its hash.
import * as z from 'zod'
import { invalid } from '../../base/lib/failure.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import { entity, key, type Write } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { LOGO_TYPES, type Tenant, type TenantLogo } from '../../base/tenant/tenant.ts'

/** The image is part of each page that shows it. */
export const LOGO_BYTES_MAX = 32_768
/** A small file can unpack to a picture that no browser can hold. */
const SIDE_MAX = 1_024

const FORM = /^data:(image\/(?:png|jpeg|webp));base64,([A-Za-z0-9+/]+={0,2})$/
/** A data URL. */
export const LogoUrl = z
  .string()
  .max(43_800)
  .regex(FORM, 'Send a PNG, JPEG or WebP image as data:image/png;base64,… (or jpeg, webp).')

const Logo = z.object({ tenant_id: z.string(), type: z.enum(LOGO_TYPES), data: z.string() })

export const logos = entity({
  name: 'LOGO',
  unbound: 'bounded',
  schema: Logo,
  key: ({ tenant_id }: { tenant_id: string }) => ({ pk: key('T', tenant_id, 'live'), sk: 'LOGO' }),
})

const urlOf = (type: string, data: string): string => `data:${type};base64,${data}`

/** What the tenant holds of a logo. Throws 422 for bytes that are not the image which the URL announces, and for large ones. */
export function logoIn(url: string): TenantLogo {
  const [, announced, data = ''] = FORM.exec(url) ?? []
  const bytes = Buffer.from(data, 'base64')
  const image = imageIn(bytes)
  if (image?.type !== announced || image === undefined)
    throw invalid(['logo'], 'The data are not an image of the type that the URL names. Send a PNG, JPEG or WebP image.')
  if (bytes.length > LOGO_BYTES_MAX) throw invalid(['logo'], `The image has more than ${LOGO_BYTES_MAX} bytes.`)
  const { type, width, height } = image
  if (Math.min(width, height) < 1 || Math.max(width, height) > SIDE_MAX)
    throw invalid(['logo'], `Each side of the image must have 1 to ${SIDE_MAX} pixels.`)
  return { type, bytes: bytes.length, sha256: sha256Hex(bytes) }
}

/** The write that stores the image of a URL, or removes the present one; none when nothing is said. */
export async function logoWrites(table: Table, tenant_id: string, url: string | null | undefined): Promise<Write[]> {
  if (url === undefined) return []
  if (url === null) return [logos.remove({ tenant_id })]
  const [, , data = ''] = FORM.exec(url) ?? []
  const item = { tenant_id, type: logoIn(url).type, data }
  const was = await table.get(logos, { tenant_id })
  return [was ? logos.replace(item, was) : logos.insert(item)]
}

/** A data URL; undefined without a logo, and for an image other than the one that the tenant names. */
export async function logoOf(table: Table, { id, logo }: Pick<Tenant, 'id' | 'logo'>): Promise<string | undefined> {
  if (!logo) return undefined
  const item = await table.get(logos, { tenant_id: id })
  if (!item || sha256Hex(Buffer.from(item.data, 'base64')) !== logo.sha256) return undefined
  return urlOf(item.type, item.data)
}

export type Image = { type: TenantLogo['type']; width: number; height: number }

/**
 * Reads type and size of an image from its first bytes. Undefined for any other format: these three cannot hold a script or load
 * anything, as SVG could.
 */
function imageIn(bytes: Buffer): Image | undefined {
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
