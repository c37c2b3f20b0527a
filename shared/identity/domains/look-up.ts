// Looks up a domain's record at the name servers of the deployment. All of them must return it, so that a single poisoned or
// outdated server cannot decide.
import { Resolver } from 'node:dns/promises'
import { env } from '../../base/lib/runtime.ts'
import { type Found, readRecords, recordName } from './record.ts'

/** `dns_error`: no answer, so the status of the domain must not change. */
export type LookUpResult = Found | 'dns_error'

const TIMEOUT_MS = 2_000
const TRIES = 2

/** The results other than a match, the most important first. */
const DOUBTS = ['dns_error', 'mismatch', 'not_found'] as const

export async function lookUp(domain: string, token: string): Promise<LookUpResult> {
  const servers = env('DNS_SERVERS').split(',')
  const seen = await Promise.all(servers.map((server) => ask(server.trim(), domain, token)))
  return DOUBTS.find((doubt) => seen.includes(doubt)) ?? 'match'
}

async function ask(server: string, domain: string, token: string): Promise<LookUpResult> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES, maxTimeout: TIMEOUT_MS })
  resolver.setServers([server])
  try {
    return readRecords(await resolver.resolveTxt(recordName(domain)), token)
  } catch (error) {
    return isAbsence(error) ? 'not_found' : 'dns_error'
  }
}

/** The name does not exist, or it has no such record. */
const isAbsence = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA')
