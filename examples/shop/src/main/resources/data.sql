INSERT INTO stock (item, amount)
SELECT 'apples', 40 WHERE NOT EXISTS (SELECT 1 FROM stock WHERE item = 'apples');
