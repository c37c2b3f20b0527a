import type { Payload } from 'oidc-provider'
import { ArtefactAdapter } from './adapter.ts'
import { INITIAL } from './registration-token.ts'

/** A token that was used registers nothing more; the library itself would let it. */
export class InitialAccessAdapter extends ArtefactAdapter {
  constructor() {
    super(INITIAL)
  }

  override async find(id: string): Promise<Payload | undefined> {
    const payload = await super.find(id)
    return payload?.consumed === undefined ? payload : undefined
  }
}
