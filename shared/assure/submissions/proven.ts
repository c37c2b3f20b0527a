// Compares submissions with their evidence: somebody with access to the table could accept a piece there, or change what was
// decided on, but the chain would not prove it.
import type { Context } from '../../base/context.ts'
import { artifactKey, artifacts, ulidOf } from '../../ledger/evidence/artifact/artifact.ts'
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import { readHeader } from '../../ledger/evidence/artifact/read-header.ts'
import { readable } from '../../ledger/evidence/artifact/readable.ts'
import { alarmDiffering, type RowEvidence, rowEvidence } from '../../ledger/evidence/chain/row-evidence.ts'
import { stateOf } from './state-of.ts'
import { ARTIFACT_OF, subjectOf } from './submission-artifact.ts'
import type { Submission } from './submission.ts'

/** In the order of the submissions. What differs raises an alarm. */
export async function evidenceOf(ctx: Context, all: readonly Submission[]): Promise<RowEvidence[]> {
  const keys = all.map(({ evidence_artifact_id }) => artifactKey(ctx.space, evidence_artifact_id))
  const found = await ctx.table.read(readable(artifacts), keys)
  const items = new Map(found.flatMap((item) => (item ? [[item.sk, item]] : [])))
  const rows = all.map((submission) => {
    const item = items.get(ulidOf(submission.evidence_artifact_id))
    const header = item && readHeader(item.header)
    return {
      referenced: [{ item, header: header && isAbout(header, submission) ? header : undefined }],
      contradictions: ([stated]: readonly Partial<Header>[]) =>
        stated?.data?.state === stateOf(submission) ? [] : ['state'],
    }
  })
  const evidence = await rowEvidence(ctx, rows)
  for (const [index, { id }] of all.entries()) alarmDiffering(id, evidence[index])
  return evidence
}

const isAbout = ({ type, subject, artifact_id }: Partial<Header>, submission: Submission): boolean =>
  type === ARTIFACT_OF[submission.status] &&
  subject?.type === subjectOf(submission).type &&
  subject.id === submission.id &&
  artifact_id === submission.evidence_artifact_id

/** Those that the chain proves, or will as soon as it has caught up. */
export async function proven<S extends Submission>(ctx: Context, all: readonly S[]): Promise<S[]> {
  const evidence = await evidenceOf(ctx, all)
  return all.filter((_, index) => evidence[index] !== undefined && evidence[index].evidence_status !== 'differs')
}
