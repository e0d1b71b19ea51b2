"""What people look at: tables, figures and the page of a store's results."""
