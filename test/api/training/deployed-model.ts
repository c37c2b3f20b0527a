// A model whose file is in the bucket, and one that was approved and deployed.
import { training } from '../../../functions/training/routes.ts'
import { PutObjectCommand, s3 } from '../../../shared/base/aws/s3.ts'
import { sha256Hex } from '../../../shared/base/lib/json.ts'
import { WEIGHTS } from '../../../shared/base/scorer/features.ts'
import { writeWeights } from '../../../shared/base/scorer/weights-file.ts'
import type { NewModel } from '../../../shared/learn/models/register-model.ts'
import { bodyOf, type Governed } from '../../support/governed.ts'
import type { LocalStack } from '../../support/local-stack.ts'
import { registered } from '../../support/model.ts'

const BIAS = 4

export async function trainedModel({ ctx }: Governed, over: Partial<NewModel> = {}, bias = BIAS) {
  const file = writeWeights('approval', { weights: new Float64Array(WEIGHTS), bias })
  const uri = `models/${ctx.space.tenant_id}/live/${ctx.id('file')}`
  await s3().send(new PutObjectCommand({ Bucket: process.env.FILES_BUCKET, Key: uri, Body: file }))
  const artifact = { uri, sha256: sha256Hex(file), bytes: file.length, format: 'countersign-linear-1' }
  return registered(ctx, { artifact, ...over })
}

/** Approved, and carried out by the sweeper. */
export async function deployedModel(local: LocalStack, tenant: Governed, over?: Partial<NewModel>, bias?: number) {
  const { id: model_id } = await trainedModel(tenant, over, bias)
  const asked = await tenant.call(training.deployModel, { params: { model_id }, body: {} })
  bodyOf(await tenant.approve(bodyOf(asked, 202).approval_id), 200)
  await local.advance(61_000)
  await local.sweep()
  return model_id
}
