import type { Context } from '../../../base/context.ts'
import { notFound } from '../../../base/lib/failure.ts'
import { idPattern } from '../../../base/lib/ids.ts'
import { artifactKey } from './artifact.ts'
import { type ViewableArtifact, viewableArtifacts } from './view.ts'

const ARTIFACT_ID = idPattern('art')

/** Throws 404 for an artifact outside this tenant and mode, a malformed id, and an unreadable item. */
export async function findArtifact(ctx: Context, id: string): Promise<ViewableArtifact> {
  const item = ARTIFACT_ID.test(id) ? await ctx.table.get(viewableArtifacts, artifactKey(ctx.space, id)) : undefined
  if (!item) throw notFound('artifact')
  return item
}
