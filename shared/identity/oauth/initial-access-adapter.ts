import type { Payload } from 'oidc-provider'
import { openTable } from '../../base/context.ts'
import { ArtefactAdapter } from './adapter.ts'
import { INITIAL, initialAccess } from './registration-token.ts'

/** A token that was used registers nothing more; the library itself would let it. */
export class InitialAccessAdapter extends ArtefactAdapter {
  constructor() {
    super(INITIAL)
  }

  override async find(id: string): Promise<Payload | undefined> {
    return (await initialAccess(openTable(), id)) && super.find(id)
  }
}
