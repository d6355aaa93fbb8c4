"""Statistics of people's ratings: intervals of a panel, agreement, and how listeners differ."""
