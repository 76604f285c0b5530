// Runs every check at once. One that hangs or breaks is a finding like any other.
import type { Check, Finding, Site, Verdict } from './check.ts'

const patience = 20_000

const inTime = (check: Check, site: Site): Promise<Verdict[]> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Verdict[]>((resolve) => {
    timer = setTimeout(() => resolve([{ status: 'fail', detail: `it did not end within ${patience / 1000} s` }]), patience)
  })
  return Promise.race([check.run(site), late]).finally(() => clearTimeout(timer))
}

const examineOne = async (check: Check, site: Site): Promise<Finding[]> => {
  try {
    return (await inTime(check, site)).map((verdict) => ({ check: check.name, ...verdict }))
  } catch (error) {
    return [{ check: check.name, status: 'fail', detail: `it broke: ${error instanceof Error ? error.message : String(error)}` }]
  }
}

/** In the order of the checks. */
export const examine = async (site: Site, checks: readonly Check[]): Promise<Finding[]> =>
  (await Promise.all(checks.map((check) => examineOne(check, site)))).flat()
