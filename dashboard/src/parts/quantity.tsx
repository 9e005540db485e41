/** A number as people read it: compact when it is large, exact on hover and for screen readers. */
import { VisuallyHidden } from '@mantine/core'
import { formatExact, formatExactMoney, formatMoney, formatShort, isCompact } from '../format.ts'

export function Quantity({ value, isMoney = false }: { readonly value: number; readonly isMoney?: boolean }) {
  const short = isMoney ? formatMoney(value) : formatShort(value)
  const exact = isMoney ? formatExactMoney(value) : formatExact(value)
  if (!isCompact(value)) return <span className="number">{short}</span>
  return (
    <span className="number" title={exact}>
      <span aria-hidden="true">{short}</span>
      <VisuallyHidden>{exact}</VisuallyHidden>
    </span>
  )
}
