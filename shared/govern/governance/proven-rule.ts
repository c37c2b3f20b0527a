// A routing rule counts only if the chain holds the artifact of its application with the rule's digest: a person who can write to the
// table cannot loosen a decision by it.
import type { Context } from '../../base/context.ts'
import { memory } from '../../base/lib/memory.ts'
import { artifactKey, artifacts, readable } from '../../ledger/evidence/artifact/artifact.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'
import { Header } from '../../ledger/evidence/artifact/header.ts'
import { placed } from '../../ledger/evidence/chain/row-evidence.ts'
import { type RoutingRule, ruleDigest } from './stored-rules.ts'

/** Digests that the chain has proven. It only grows, so what was proven once stays proven. */
const proven = memory<true>(2_000)

/** Reads an artifact and a block, once per container and version of the rule. False, too, while the artifact has no position yet. */
export async function isProvenRule(ctx: Context, rule: RoutingRule): Promise<boolean> {
  const digest = ruleDigest(rule)
  if (proven.has(digest)) return true
  const item = await ctx.table.get(readable(artifacts), artifactKey(ctx.space, rule.artifact_id))
  if (!item || !(await placed(ctx, [item], { text: true })).has(item)) return false
  const { type, subject, chain, data } = Header.parse(JSON.parse(item.header))
  const isIts =
    type === 'routing.update.changed' &&
    subject?.id === rule.update_id &&
    chain === chainName(ctx.space) &&
    data?.rule_sha256 === digest
  if (isIts) proven.set(digest, true)
  return isIts
}
