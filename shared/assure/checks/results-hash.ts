import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import type { RunResult } from './run.ts'

/** SHA-256 (hex) over the canonical JSON (RFC 8785) of the results, ordered by check. The artifact of the run commits to it. */
export function resultsHash(results: readonly RunResult[]): string {
  const ordered = results.toSorted((a, b) => (a.check_id < b.check_id ? -1 : 1))
  return sha256Hex(canonicalJson(ordered.map(({ previous_status: _, ...result }) => result)))
}
