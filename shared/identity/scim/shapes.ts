// Shapes of requests and responses. They are loose, because names come in any case and unknown ones are ignored. The schema
// documents are checked in `normalise.ts` and `patch-operations.ts`.
import * as z from 'zod'

const anything = () => z.looseObject({})

export const UserBody = anything()
export const GroupBody = anything()
export const PatchBody = anything()
export const SearchBody = anything()
export const AnyBody = anything()

/** Unknown parameters are ignored, because Entra adds flags to every URL. */
export const SelectionQuery = z.looseObject({
  attributes: z.string().optional(),
  excludedAttributes: z.string().optional(),
})

export const SearchQuery = SelectionQuery.extend({
  filter: z.string().optional(),
  startIndex: z.string().optional(),
  count: z.string().optional(),
})

export const DiscoveryQuery = z.looseObject({ filter: z.string().optional() })

const described = () => z.looseObject({ schemas: z.array(z.string()), meta: z.looseObject({}) })
const stored = () => z.looseObject({ schemas: z.array(z.string()), id: z.string() })

export const ScimUserView = stored()
export const ScimGroupView = stored()
export const ResourceTypeView = described()
export const SchemaView = described()
export const ConfigView = described()

export const ListView = z.looseObject({
  schemas: z.array(z.string()),
  totalResults: z.int(),
  startIndex: z.int(),
  itemsPerPage: z.int(),
  Resources: z.array(z.looseObject({})),
})

/** For operations that are not supported and always answer an error. */
export const NoResponse = z.undefined()
