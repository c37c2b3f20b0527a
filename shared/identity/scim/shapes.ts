// Shapes of requests and answers. The schema documents say more than these could: names are read in any case, and what is
// unknown is ignored, so nothing but the frame can be checked here.
import * as z from 'zod'

const anything = () => z.looseObject({})

export const UserBody = anything()
export const GroupBody = anything()
export const PatchBody = anything()
export const SearchBody = anything()
export const AnyBody = anything()

/** Parameters that nobody knows are ignored, too: Entra puts flags on every address. */
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

/** Of what is not supported, which answers an error always. */
export const NoReply = z.undefined()
