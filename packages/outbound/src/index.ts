// Public surface of the way out.
export * from './address-policy.ts'
export * from './body-limit.ts'
export * from './connect.ts'
export * from './create-outlet.ts'
export * from './failure.ts'
