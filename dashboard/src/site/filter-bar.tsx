/** The filters in force, each to be taken away. */
import { Button } from '@mantine/core'
import { formatCountry } from '../format.ts'
import { CloseIcon } from '../parts/icons.tsx'
import { text } from '../text/text.ts'
import { type FilterName, filterNames, type SiteView } from './site-view.ts'
import './filter-bar.css'

interface FilterBarProps {
  readonly view: SiteView
  readonly onChange: (changes: Record<string, string | null>) => void
}

export function FilterBar({ view, onChange }: FilterBarProps) {
  if (view.filters.length === 0) return null
  return (
    <section className="filter-bar" aria-label={text.filters.label}>
      {view.filters.map(({ name, value }) => {
        const shown = filterLabel(name, value)
        const kind = text.filters.names[name]
        return (
          <button
            key={name}
            type="button"
            className="filter-chip"
            onClick={() => onChange({ [name]: null })}
            aria-label={text.filters.removeOne(`${kind}: ${shown}`)}
          >
            <span className="dimmed">{kind}</span> <strong>{shown}</strong>
            <CloseIcon size={14} />
          </button>
        )
      })}
      <Button
        variant="subtle"
        size="compact-sm"
        onClick={() => onChange(Object.fromEntries(filterNames.map(name => [name, null])))}
      >
        {text.filters.clear}
      </Button>
    </section>
  )
}

export function filterLabel(name: FilterName, value: string): string {
  if (name === 'country') return formatCountry(value)
  if (name === 'purpose') return text.purposes[value] ?? value
  return value
}
