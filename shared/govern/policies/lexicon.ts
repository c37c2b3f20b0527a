// Changes the tenant's own words. They are part of the policy set version, so a change also moves the active pointer.
import * as z from 'zod'
import { policyOf } from '../governance/policy.ts'
import { KIND_NAMES } from '../../base/catalog/kinds.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { differences } from '../../ledger/audit/differences.ts'
import type { Context } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, Failure, type Violation } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { optional } from '../../base/wire/fields.ts'
import { mustHaveSteppedUp } from '../../identity/access/assurance.ts'
import { moreRules, movePointer, rulesInForce, type StatedSet } from '../governance/governance.ts'
import { readFreezes } from '../governance/freeze.ts'
import { looseningOfLexicon } from '../governance/loosening.ts'
import {
  lexicons,
  type LexiconWords,
  policySetVersion,
  type StoredLexicon,
  wordsOf,
} from '../governance/stored-rules.ts'
import { findPointer, readSettings } from '../governance/settings.ts'
import { lexiconProblems, lexiconWarnings, spelled, WORDS_MAX } from '../governance/words/tenant-words.ts'
import { approvedUnder, type PointerChange, type Under } from '../governance/change.ts'

const words = z.array(z.string().min(1).max(80)).max(WORDS_MAX)
const byKind = z.partialRecord(z.enum(KIND_NAMES).exclude(['unknown']), words)

export const LexiconBody = z.strictObject({
  verbs: byKind.describe('Verbs in any language, by the kind of action that they stand for.'),
  nouns: byKind.describe('Nouns in any language, by the kind of action that they stand for.'),
  read_nouns: words.describe('Nouns that name what is read, in any language.'),
  version: optional(z.int().min(1)).describe(
    'The version, which grows with each change. Send it as `If-Match` with the next change.',
  ),
})
export type LexiconBody = z.output<typeof LexiconBody>

const NOTHING: LexiconWords = { verbs: {}, nouns: {}, read_nouns: [] }

/** The words as tokens are spelled, in order; without empty lists. */
function inOrder({ verbs, nouns, read_nouns }: LexiconWords): LexiconWords {
  const sorted = (list: readonly string[]) => list.map(spelled).toSorted()
  const each = (table: LexiconWords['verbs']) =>
    Object.fromEntries(Object.entries(table).flatMap(([kind, list]) => (list.length > 0 ? [[kind, sorted(list)]] : [])))
  return { verbs: each(verbs), nouns: each(nouns), read_nouns: sorted(read_nouns) }
}

/** Throws 422 for words that cannot be saved. */
export function checked(body: LexiconBody): LexiconWords {
  const problems = lexiconProblems(body)
  if (problems.length === 0) return inOrder(body)
  const violations = problems.map(({ path, message }): Violation => ({
    loc: ['body', ...path],
    msg: message,
    type: 'value_error',
  }))
  throw new Failure('invalid', violations)
}

const viewOf = (stored: StoredLexicon | undefined): z.input<typeof LexiconView> => {
  const now = stored ? wordsOf(stored) : NOTHING
  return {
    version: stored?.version ?? 0,
    ...now,
    ...(stored && { updated_at: stored.updated_at, updated_by: stored.updated_by }),
    warnings: lexiconWarnings(now),
  }
}

export const LexiconView = z.object({
  /** 0: none was saved yet. */
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
  verbs: byKind.describe('Verbs in any language, by the kind of action that they stand for.'),
  nouns: byKind.describe('Nouns in any language, by the kind of action that they stand for.'),
  read_nouns: words.describe('Nouns that name what is read, in any language.'),
  updated_at: z.string().optional().describe('When it was last changed.'),
  updated_by: z
    .object({ type: z.string().describe('What kind of caller it is.'), id: z.string().describe('Id of the caller.') })
    .optional()
    .describe('The caller that last changed it.'),
  warnings: z.array(z.string()).describe('Effects that the author may not have intended.'),
})

export const readLexicon = async (ctx: Context): Promise<z.input<typeof LexiconView>> =>
  viewOf(await ctx.table.get(lexicons, ctx.space))

export type LexiconView = z.input<typeof LexiconView>

/** Throws 422 for words that cannot be looser, 409 for another version than the present one. */
export async function lexiconChange(ctx: Context, body: LexiconBody): Promise<PointerChange<LexiconView>> {
  await mustHaveSteppedUp(ctx)
  const lexicon = checked(body)
  const lost = conflict('Another request has changed the policies. Try again.', { code: 'version_conflict' })
  const pointer = await findPointer(ctx.table, ctx.space)
  const rules = await rulesInForce(ctx.table, ctx.space, pointer, lost)
  const was = rules.lexicon
  mustBeCurrent(body.version, was?.version ?? 0)
  const stored: StoredLexicon = {
    ...ctx.space,
    version: (was?.version ?? 0) + 1,
    body: canonicalJson(lexicon),
    updated_at: iso(ctx.now()),
    updated_by: { type: ctx.principal.kind, id: ctx.principal.id },
  }
  const policies = rules.policies.map(policyOf)
  const policy_set_version = policySetVersion(policies, readSettings(pointer), { ...moreRules(rules), lexicon })
  const artifact_id = ctx.id('art')
  const { write, set } = movePointer(pointer, { policy_set_version, artifact_id }, lost)
  return {
    what: 'the words of the lexicon',
    loosens: looseningOfLexicon(was ? wordsOf(was) : NOTHING, lexicon, { policies, freezes: readFreezes(pointer) }),
    asked: { change: 'lexicon', name: 'lexicon', version: was?.version ?? 0, asked: JSON.parse(stored.body) },
    replaces: pointer._v,
    writes: (under) => [
      was ? lexicons.replace(stored, was, lost) : lexicons.insert(stored, lost),
      write,
      ...recordedChange(ctx, was, stored, { artifact_id, set, under }),
    ],
    ref: 'lexicon',
    result: viewOf(stored),
  }
}

function recordedChange(
  ctx: Context,
  was: Stored<StoredLexicon> | undefined,
  next: StoredLexicon,
  { artifact_id, set, under }: { artifact_id: string; set: StatedSet; under: Under },
) {
  const updated = {
    policy_id: null,
    name: 'lexicon',
    change: 'updated',
    policy_version: next.version,
    previous_version: was?.version ?? null,
    node_id: null,
    action_id: null,
    update_id: null,
  } as const
  return changed(
    ctx,
    [
      {
        action: 'lexicon.updated',
        artifact: 'policy.lexicon.updated',
        artifact_id,
        subject: { type: 'lexicon', id: 'lexicon', name: 'lexicon' },
        data: { version: next.version, policy_sets: { [ctx.space.mode]: set }, ...approvedUnder(under) },
        changes: differences(was, next, ['body']),
        events: [{ type: 'policy.updated', subject: { id: 'lexicon', version: next.version }, data: updated }],
      },
    ],
    { mails: under.mails },
  )
}
