// The effect of approving a version that loosens: the head of its node moves to it, if it is still the version that was approved and
// replaces the one that it was compared with.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import { given } from '../../base/lib/json.ts'
import type { BuiltInEffect } from '../executions/built-in-effects.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import { mailToOwners } from '../../identity/access/outrank.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Mail } from '../../ledger/events/mail.ts'
import { mustChangeInPerson } from '../approvals/votes/count.ts'
import { loadVersion } from '../manifests/load.ts'
import { nodeHeads } from '../manifests/node.ts'

export const activateEffect: BuiltInEffect = {
  run: async (ctx, { execution, payload }) => {
    await mustChangeInPerson(ctx)
    // Made by the service itself, and bound by the digest of the approval.
    const asked = payload as {
      node_id: string
      version: string
      manifest_sha256: string
      replaces: string
      loosens: string[]
    }
    const { node_id, version, manifest_sha256, replaces, loosens } = asked
    const [head, registered] = await Promise.all([
      ctx.table.get(nodeHeads, { ...ctx.space, node_id }),
      loadVersion(ctx.table, ctx.space, node_id, version),
    ])
    if (head?.latest !== replaces || registered?.stored.manifest_sha256 !== manifest_sha256)
      throw conflict('Another version of the node is in force by now. Reject this, and register a new version.', {
        code: 'version_conflict',
      })
    const { node, stored } = registered
    const said = stored.trusted ? given({ environment: node.environment }) : {}
    const next = { ...head, latest: version, manifest_sha256, ...said, updated_at: iso(ctx.now()) }
    return {
      writes: [
        nodeHeads.replace(next, head, new ChangedMeanwhile()),
        ...changed(
          ctx,
          [
            {
              action: 'manifest.registered',
              artifact: 'manifest.registered',
              subject: { type: 'node', id: node_id, name: node.name },
              of: { node_id, version },
              changes: [{ path: 'version', before: replaces, after: version }],
              data: { manifest_sha256, execution_id: execution.id },
            },
          ],
          { mails: [versionMail(ctx, loosens)] },
        ),
      ],
      measures: [],
    }
  },
}

/** Names how many members loosen, but not which: the names of actions are the caller's words. */
export const versionMail = (ctx: Context, loosens: readonly string[]): Mail =>
  mailToOwners(ctx, `a node, so that less is held (${loosens.length} members of its actions)`)
