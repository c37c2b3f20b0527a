import type { Payload } from 'oidc-provider'
import { openTable } from '../../base/context.ts'
import { ArtefactAdapter } from './adapter.ts'
import { INITIAL, initialAccess } from './registration-token.ts'

/** Hides a used token, because the library itself would accept it again. */
export class InitialAccessAdapter extends ArtefactAdapter {
  constructor() {
    super(INITIAL)
  }

  override async find(id: string): Promise<Payload | undefined> {
    return (await initialAccess(openTable(), id)) && super.find(id)
  }
}
