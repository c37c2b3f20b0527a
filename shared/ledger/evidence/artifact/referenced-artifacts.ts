// Reads the artifacts that an execution refers to. Only text with the referenced hash is accepted, so no other artifact can
// replace the one that the row was committed with.
import type { Context } from '../../../base/context.ts'
import { artifactIdOf, artifactKey, artifacts, readable, type StoredArtifact } from './artifact.ts'
import { artifactHash, publicHash } from './hashes.ts'
import type { Header } from './header.ts'

export type Reference = { artifact_id: string; type: string; hash: string; at: string }
type Referrer = { id: string; artifacts: readonly Reference[] }

/** `header` is undefined when the artifact is gone or does not have the referenced hash. */
export type ReferencedArtifact = {
  reference: Reference
  item: StoredArtifact | undefined
  header: Partial<Header> | undefined
}

/** By execution id, in the order of the references. `wanted` filters the references. */
export async function readReferencedArtifacts(
  ctx: Context,
  executions: readonly Referrer[],
  wanted: (reference: Reference) => boolean = () => true,
): Promise<Map<string, ReferencedArtifact[]>> {
  const references = executions.flatMap((execution) => execution.artifacts.filter(wanted))
  const keys = references.map(({ artifact_id }) => artifactKey(ctx.space, artifact_id))
  const found = (await ctx.table.read(readable(artifacts), keys)).filter((item) => item !== undefined)
  const items = new Map(found.map((item) => [artifactIdOf(item.sk), item]))
  return new Map(
    executions.map(({ id, artifacts: all }) => [
      id,
      all.filter(wanted).map((reference) => referencedArtifact(id, reference, items.get(reference.artifact_id))),
    ]),
  )
}

function referencedArtifact(
  request_id: string,
  reference: Reference,
  item: StoredArtifact | undefined,
): ReferencedArtifact {
  const { artifact_id, type, hash } = reference
  const header = item && publicHash(artifactHash(item.header)) === hash ? readHeader(item.header) : undefined
  const isIt = header?.artifact_id === artifact_id && header.type === type && header.request_id === request_id
  return { reference, item, header: isIt ? header : undefined }
}

/** Parses a header; undefined when the text is not a JSON object. Its members are not checked. */
export function readHeader(text: string): Partial<Header> | undefined {
  try {
    const parsed: Partial<Header> | null = JSON.parse(text)
    return typeof parsed === 'object' && parsed ? parsed : undefined
  } catch {
    return undefined
  }
}
