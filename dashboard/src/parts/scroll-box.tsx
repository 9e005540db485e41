/** A box that scrolls sideways where its table is too wide; reached by keyboard, so that it can be scrolled without a mouse. */
import type { ReactNode } from 'react'

interface ScrollBoxProps {
  readonly label: string
  readonly className?: string
  readonly children: ReactNode
}

export function ScrollBox({ label, className = 'table-scroll', children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable (WCAG 2.1.1)
    <section className={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
