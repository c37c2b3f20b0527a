// The reader of country databases (MaxMind DB file format). Loaded with the first address that is looked up.
import { readFile } from 'node:fs/promises'
import { type CountryResponse, Reader } from 'mmdb-lib'

/** A record of the geo-whois-asn-country database. */
type Found = CountryResponse & { country_code?: string }

/** The country code of an address, null where the database has none. Throws when the file cannot be read. */
export async function openCountries(file: string): Promise<(ip: string) => string | null> {
  const reader = new Reader<Found>(await readFile(file))
  return (ip) => reader.get(ip)?.country_code ?? null
}
