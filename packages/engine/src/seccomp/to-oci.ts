// Renders the list of system calls as the profile that container engines read.
import { allowed, unknown } from './calls.ts'
import { type Rule, rules } from './rules.ts'

const ENOSYS = 38

const ruleEntries = ([name, { argument, test }]: [string, Rule]): object[] => {
  const entry = (condition: object): object => ({ names: [name], action: 'SCMP_ACT_ALLOW', args: [{ index: argument, ...condition }] })
  if ('none' in test) return [entry({ value: test.none, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' })]
  return test.any.map((value) => entry({ value, op: 'SCMP_CMP_EQ' }))
}

/** `passed`: calls that are let through to a runtime which does not know them, and cannot be made to say so. */
export const renderOci = ({ passed = [] }: { readonly passed?: readonly string[] } = {}): object => ({
  defaultAction: 'SCMP_ACT_ERRNO',
  defaultErrnoRet: 1,
  architectures: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'],
  syscalls: [
    { names: [...Object.keys(allowed), ...passed], action: 'SCMP_ACT_ALLOW' },
    { names: Object.keys(unknown).filter((name) => !passed.includes(name)), action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
    ...Object.entries(rules).flatMap(ruleEntries),
  ],
})
