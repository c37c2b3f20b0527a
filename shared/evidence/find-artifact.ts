import type { Context } from '../context.ts'
import { notFound } from '../lib/failure.ts'
import { idPattern } from '../lib/ids.ts'
import { artifactKey, artifacts, type StoredArtifact } from './artifact.ts'

const ARTIFACT_ID = idPattern('art')

/** 404 for what is not in this tenant and mode, and for what is no id at all. */
export async function findArtifact(ctx: Context, id: string): Promise<StoredArtifact> {
  const item = ARTIFACT_ID.test(id) ? await ctx.table.get(artifacts, artifactKey(ctx.space, id)) : undefined
  if (!item) throw notFound('artifact')
  return item
}
