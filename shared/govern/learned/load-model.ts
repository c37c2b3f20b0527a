// Loads the weights of a model from the bucket, once per container. They are used only if they are, byte for byte, those that
// were registered.
import { timeoutFactor } from '../../base/aws/clients.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/env.ts'
import { alarm } from '../../base/lib/log.ts'
import { memory } from '../../base/lib/memory.ts'
import type { Space } from '../../base/context.ts'
import type { Linear } from '../../base/scorer/score.ts'
import type { PlacedModel } from './learned.ts'

/** A decision waits so long for a model. */
const WITHIN_MS = 500
/** A model that could not be loaded is not tried again for so long. */
const PAUSE_MS = 10_000

const loaded = memory<Linear>(20)
const failed = memory<number>(100)

export const modelsPrefix = ({ tenant_id, mode }: Space): string => `models/${tenant_id}/${mode}/`

/** Undefined for a model that cannot be read, which is said in an alarm. */
export async function loadModel(space: Space, clock: Clock, placed: PlacedModel): Promise<Linear | undefined> {
  const name = `${placed.uri}@${placed.sha256}`
  const known = loaded.get(name)
  if (known) return known
  if ((failed.get(name) ?? 0) > clock.now()) return undefined
  try {
    const model = await readModel(space, placed)
    if (model.type !== 'approval') throw new Error(`a model of type ${model.type} says nothing of approvals`)
    loaded.set(name, model)
    return model
  } catch (error) {
    failed.set(name, clock.now() + PAUSE_MS)
    alarm('model.unreadable', error, { model: placed.model_id })
    return undefined
  }
}

/** Throws when it is not there in time, is not the registered file, or belongs to another space. */
export async function readModel(space: Space, { uri, sha256 }: Pick<PlacedModel, 'uri' | 'sha256'>) {
  if (!uri.startsWith(modelsPrefix(space))) throw new Error('the file is not among the models of this space')
  const [{ GetObjectCommand, s3 }, { readWeights }] = await Promise.all([
    import('../../base/aws/s3.ts'),
    import('../../base/scorer/weights-file.ts'),
  ])
  const abortSignal = AbortSignal.timeout(WITHIN_MS * timeoutFactor())
  const { Body } = await s3().send(new GetObjectCommand({ Bucket: env('FILES_BUCKET'), Key: uri }), { abortSignal })
  return readWeights((await Body?.transformToString()) ?? '', sha256)
}
