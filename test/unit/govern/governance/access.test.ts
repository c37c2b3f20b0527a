import { expect, test } from 'vitest'
import { classified } from './make.ts'

test.each([
  'attach_role_policy',
  'AttachUserPolicy',
  'create_policy',
  'CreatePolicyVersion',
  'SetDefaultPolicyVersion',
  'PutBucketPolicy',
  'put_bucket_acl',
  'SetRepositoryPolicy',
  'set_bucket_permissions',
  'set_iam_policy',
  'create_role',
  'add_collaborator',
  'create_access_key',
  'createApiKey',
  'update_security_group_rules',
  'create_service_account',
  'update-access-levels',
])('%s changes who may do what', (name) => {
  expect(classified(name)).toMatchObject({ kind: 'permission', tier: 'HARD' })
})

test.each(['create_retention_policy', 'updateScalingPolicy', 'set_escalation_policies'])(
  '%s governs no access',
  (name) => {
    expect(classified(name).tier).toBe('SOFT')
  },
)

test.each(['get_policy', 'list_roles', 'describe_security_groups', 'list_policies'])('%s only reads', (name) => {
  expect(classified(name).tier).toBe('AUTO')
})
