// The country of an address, from a file beside the code. Without the file, or for an address that is nowhere, there is no
// country and no rule about countries.
import { warn } from '../lib/log.ts'

let opened: Promise<(ip: string) => string | null> | undefined

/** ISO 3166-1 alpha-2, or null. */
export async function countryOf(ip: string): Promise<string | null> {
  const file = process.env.COUNTRIES_FILE
  if (!file) return null
  opened ??= open(file)
  try {
    return (await opened)(plain(ip))
  } catch (error) {
    opened = undefined // it may appear later, as files do that are made on demand
    warn('countries_unavailable', error)
    return null
  }
}

/** Read on first use: most requests ask for no country, and the file has 8 MB. */
async function open(file: string) {
  const { openCountries } = await import('./country-reader.ts')
  return openCountries(file)
}

/** The database does not know IPv4 addresses that arrive mapped into IPv6. */
const plain = (ip: string) => ip.replace(/^::ffff:(?=\d+\.)/i, '')
