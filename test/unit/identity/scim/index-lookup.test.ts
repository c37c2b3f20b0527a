import { expect, test } from 'vitest'
import { typedFilter } from '../../../../shared/identity/scim/filter/filter.ts'
import { comparesAttribute, indexLookup } from '../../../../shared/identity/scim/list.ts'
import { GROUP, USER } from '../../../../shared/identity/scim/resource-type.ts'

test.each([
  ['userName eq "a"', USER, { attribute: 'userName', value: 'a' }],
  ['externalId eq "a"', USER, { attribute: 'externalId', value: 'a' }],
  ['id eq "a"', USER, { attribute: 'id', value: 'a' }],
  ['displayName eq "a"', GROUP, { attribute: 'displayName', value: 'a' }],
  ['externalId eq "a"', GROUP, { attribute: 'groupExternalId', value: 'a' }],
  ['title pr and userName eq "a"', USER, { attribute: 'userName', value: 'a' }],
  ['displayName eq "a"', USER, { attribute: 'userDisplayName', value: 'a' }],
  ['emails.value eq "a"', USER, { attribute: 'email', value: 'a' }],
  ['emails eq "a"', USER, { attribute: 'email', value: 'a' }],
  ['emails[value eq "a"]', USER, { attribute: 'email', value: 'a' }],
  ['emails[type eq "work" and value eq "a"]', USER, { attribute: 'email', value: 'a' }],
  ['emails[type eq "work"]', USER, undefined],
  ['not (emails.value eq "a")', USER, undefined],
  ['phoneNumbers.value eq "a"', USER, undefined],
  ['members.value eq "a"', GROUP, undefined],
  ['userName sw "a"', USER, undefined],
  ['userName ne "a"', USER, undefined],
  ['userName eq null', USER, undefined],
  ['not (userName eq "a")', USER, undefined],
  ['userName eq "a" or title pr', USER, undefined],
  ['name.givenName eq "a"', USER, undefined],
])('%s looks where it can', (filter, type, expected) => {
  expect(indexLookup(type, typedFilter(type, filter))).toEqual(expected)
})

test.each([
  ['members eq "a"', true],
  ['members[value eq "a"]', true],
  ['displayName pr and not (members pr)', true],
  ['displayName eq "members"', false],
])('%s asks for members: %s', (filter, expected) => {
  expect(comparesAttribute(typedFilter(GROUP, filter), 'members')).toBe(expected)
})
