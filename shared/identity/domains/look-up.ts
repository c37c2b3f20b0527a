// Asks the name servers of the deployment for a domain's record. All of them must see it: one that is fooled, or that
// still remembers, decides nothing by itself.
import { Resolver } from 'node:dns/promises'
import { env } from '../../base/lib/env.ts'
import { type Found, readRecords, recordName } from './record.ts'

/** `dns_error`: nobody knows; the domain stays what it is. */
export type Seen = Found | 'dns_error'

const TIMEOUT_MS = 2_000
const TRIES = 2

/** From the most to the least important reason not to believe. */
const DOUBTS = ['dns_error', 'mismatch', 'not_found'] as const

export async function lookUp(domain: string, token: string): Promise<Seen> {
  const servers = env('DNS_SERVERS').split(',')
  const seen = await Promise.all(servers.map((server) => ask(server.trim(), domain, token)))
  return DOUBTS.find((doubt) => seen.includes(doubt)) ?? 'match'
}

async function ask(server: string, domain: string, token: string): Promise<Seen> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES, maxTimeout: TIMEOUT_MS })
  resolver.setServers([server])
  try {
    return readRecords(await resolver.resolveTxt(recordName(domain)), token)
  } catch (error) {
    return isAbsence(error) ? 'not_found' : 'dns_error'
  }
}

/** No such name, or no such record at it. */
const isAbsence = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA')
