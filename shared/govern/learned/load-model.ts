// Loads the weights of a model from the bucket, once per container. They are used only if they are, byte for byte, those that
// were registered. Without the S3 client, whose code every decision would have to load.
import { timeoutFactor } from '../../base/aws/clients.ts'
import { presignedUrl } from '../../base/aws/presign.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { alarm } from '../../base/lib/log.ts'
import { memory } from '../../base/lib/memory.ts'
import type { Space } from '../../base/context.ts'
import type { Linear } from '../../base/scorer/weights-file.ts'
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
    const model = await readModel(space, clock.now(), placed)
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
export async function readModel(space: Space, at: number, { uri, sha256 }: Pick<PlacedModel, 'uri' | 'sha256'>) {
  const { readWeights } = await import('../../base/scorer/weights-file.ts')
  return readWeights(await readModelFile(space, at, uri), sha256)
}

/** A file of the models of the space. Throws when it is not there in time. */
export async function readModelFile(space: Space, at: number, uri: string, withinMs = WITHIN_MS): Promise<string> {
  if (!uri.startsWith(modelsPrefix(space))) throw new Error('the file is not among the models of this space')
  const signal = AbortSignal.timeout(withinMs * timeoutFactor())
  const response = await fetch(presignedUrl('GetObject', { key: uri, at }), { signal })
  if (!response.ok) throw new Error(`the bucket answered ${response.status}`)
  return response.text()
}
