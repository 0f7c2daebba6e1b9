//! Columns that are as wide as their widest cell.

use anstyle::Style;

/// A cell, and how it looks.
pub type Cell = (String, Style);

/// Longer cells do not make room for themselves in other rows.
const WIDEST: usize = 40;

/// Rows of cells; what is last in a row is not padded.
pub fn table(rows: &[Vec<Cell>], indent: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let widths = cells.map(|(text, _)| text.chars().count());
        widths.filter(|width| *width <= WIDEST).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = " ".repeat(indent);
        let last = row.iter().rposition(|(text, _)| !text.is_empty()).unwrap_or_default();
        for (column, (cell, style)) in row.iter().enumerate().take(last + 1) {
            let padding = widths[column].saturating_sub(cell.chars().count());
            let is_last = column == last;
            line += &format!("{style}{cell}{style:#}");
            if !is_last {
                line += &" ".repeat(padding + 2);
            }
        }
        text += &line;
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_each_other() {
        let row = |cells: [&str; 3]| cells.map(|cell| (cell.to_owned(), Style::new())).into();

        let text = table(&[row(["a", "ä", "x"]), row(["long", "", "y"]), row(["b", "", ""])], 1);

        assert_eq!(text, " a     ä  x\n long     y\n b\n");
        let long = "x".repeat(100);
        let text = table(&[row([&long, "b", "c"]), row(["a", "b", "c"])], 0);
        assert_eq!(text, format!("{long}  b  c\na  b  c\n"));
    }
}
